/** The parts of Redis that need no sockets. */
export { answerCommands, type RedisService, startCommand, TOO_MANY_CLIENTS } from './answer-commands.ts'
export {
  CLOSED_BY_CLIENT,
  CLOSED_BY_SERVER,
  createClientOver,
  logIn,
  toByteString,
} from './redis-client-over.ts'
export { RedisServer } from './redis-server.ts'
