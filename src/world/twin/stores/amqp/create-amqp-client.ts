/** The AMQP client of a twin over sockets. */
import type { BrokerClient, StoreClientOptions } from '#world/twin/ports'
import { openSocket } from '../open-socket.ts'
import { processHost } from '../process-host.ts'
import { createClientOver } from './amqp-client-over.ts'
import { openAmqpConnection } from './amqp-connection.ts'

export const createAmqpClient = (options: StoreClientOptions): BrokerClient =>
  createClientOver(processHost, async () =>
    openAmqpConnection(await openSocket(options), processHost, options.login),
  )
