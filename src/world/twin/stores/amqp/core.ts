/** The parts of AMQP that need no sockets. */
export { createClientOver } from './amqp-client-over.ts'
export { openAmqpConnection } from './amqp-connection.ts'
export { AmqpServer } from './amqp-server.ts'
export { runControlCommand } from './control-commands.ts'
