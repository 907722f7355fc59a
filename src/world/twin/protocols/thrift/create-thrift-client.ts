/** Calls Thrift methods over sockets, with framed transport and binary protocol. */
import type { ClientOptions, ServiceClient } from '#world/twin/ports'
import { processTime } from '#world/twin/process'
import { createClientOver } from './create-client-over.ts'
import { openThriftConnection } from './thrift-connection.ts'

export const createThriftClient = (options: ClientOptions): ServiceClient =>
  createClientOver(options, { time: processTime, open: openThriftConnection })
