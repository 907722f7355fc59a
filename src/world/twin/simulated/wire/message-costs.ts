/** The CPU time of messages by protocol. */
import type { Protocol } from '#spec'
import type { MessageCost } from './charge-messages.ts'

/** A request to a service also costs its span, its log lines and its metrics. */
const SERVICE: MessageCost = { server: 1.2, client: 0.6 }
const STORE: MessageCost = { server: 1.2, client: 0.4 }

/** Estimates: with 0.3 ms of work, a twin in a process of its own uses about 2.7 ms of CPU per request, with its log file. */
export const MESSAGE_COSTS: Readonly<Record<Protocol, MessageCost>> = {
  http: SERVICE,
  grpc: SERVICE,
  thrift: SERVICE,
  amqp: STORE,
  memcached: STORE,
  mongodb: STORE,
  mysql: STORE,
  redis: STORE,
  nacos: SERVICE,
  consul: SERVICE,
  jaeger: SERVICE,
}
