/** The port that a service listens on, as far as its manifest tells. */
import { createExpressions } from '../expressions/index.ts'
import { lazily } from '../kit/index.ts'
import type { Behaviour, Wire } from '../spec/index.ts'
import type { ParsedDeploy } from './deploy-schema.ts'

/** Only what the environment says is evaluated here: no expression of a port draws on time or chance. */
const expressions = lazily(() => createExpressions({ random: () => 0, now: () => 0, uuid: () => '' }))

const USUAL: Readonly<Record<Wire, number>> = {
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

export const usualPort = (wire: Wire): number => USUAL[wire]

/** Undefined where it depends on what only the pod knows. */
export const listeningPort = ({ wire, listen }: Behaviour, deploy: ParsedDeploy): number | undefined => {
  if (listen === undefined) return USUAL[wire]
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
