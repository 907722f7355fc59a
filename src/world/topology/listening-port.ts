/** The port that a service listens on, as far as its manifest determines it. */

import { lazily } from '#kit'
import type { Behaviour, Protocol } from '#spec'
import { createExpressions } from '#world/expressions'
import type { ParsedDeploy } from './deploy-schema.ts'

/** Provides neither time nor randomness: a port does not depend on them. */
const expressions = lazily(() => createExpressions({ random: () => 0, now: () => 0, uuid: () => '' }))

const DEFAULT_PORTS: Readonly<Record<Protocol, number>> = {
  http: 8080,
  grpc: 8080,
  thrift: 9090,
  mysql: 3306,
  redis: 6379,
  memcached: 11211,
  mongodb: 27017,
  amqp: 5672,
  nacos: 8848,
  consul: 8500,
  jaeger: 16686,
}

export const defaultPort = (protocol: Protocol): number => DEFAULT_PORTS[protocol]

/** Undefined if the port is invalid, or depends on values that only the pod has. */
export const listeningPort = ({ protocol, listen }: Behaviour, deploy: ParsedDeploy): number | undefined => {
  if (listen === undefined) return DEFAULT_PORTS[protocol]
  const env = Object.fromEntries(
    Object.entries(deploy.env ?? {}).filter(([, value]) => typeof value === 'string'),
  )
  try {
    const port = expressions().compileExpression(listen, 'listen')({ env, config: {} })
    return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
  } catch {
    return undefined
  }
}
