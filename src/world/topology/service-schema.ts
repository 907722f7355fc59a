/** The schema of a service in a topology, after its templates are merged. */
import { z } from 'zod'
import type { Behaviour } from '#spec'
import { defect } from './defect-schema.ts'
import { deploySchema } from './deploy-schema.ts'
import { expression, identifier, steps } from './step-schema.ts'

const PROTOCOLS = [
  ...(['http', 'grpc', 'thrift', 'mysql', 'redis', 'memcached', 'mongodb', 'amqp'] as const),
  ...(['nacos', 'consul', 'jaeger'] as const),
] as const
const LOG_FORMATS = [
  ...(['spring', 'go-json', 'zerolog', 'pino', 'python', 'thrift', 'nginx'] as const),
  ...(['redis', 'verbatim', 'plain'] as const),
] as const

/** Accepts a key without a value: `GET /health:` */
const orEmpty = <T extends z.ZodType>(schema: T) => z.preprocess((value) => value ?? {}, schema)

const work = z.strictObject({
  cpuMs: z.number().min(0).optional(),
  memoryKiB: z.number().min(0).optional(),
})

const upstream = z.strictObject({
  address: expression.optional(),
  protocol: z.enum(PROTOCOLS).optional(),
  timeout: expression.optional(),
  pool: z.strictObject({ size: expression, waitMs: expression.optional() }).optional(),
  retry: z.strictObject({ attempts: expression, backoffMs: expression.optional() }).optional(),
  login: z
    .strictObject({ user: expression, password: expression, database: expression.optional() })
    .optional(),
  registry: z.string().optional(),
  dead: z.boolean().optional(),
})

const endpoint = z.strictObject({
  steps: steps.optional(),
  reply: expression.optional(),
  status: expression.optional(),
  headers: z.record(z.string(), expression).optional(),
  work: work.optional(),
  limit: z.number().positive().optional(),
})

const access = z.strictObject({
  method: z.string().optional(),
  path: z.string().startsWith('/', { error: 'must start with /' }),
  allow: z.union([z.enum(['anyone', 'authenticated']), z.array(z.string()).min(1)]),
})

const store = z.strictObject({
  folder: expression.optional(),
  users: z
    .array(
      z.strictObject({
        name: expression,
        password: expression,
        databases: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  databases: z.array(z.string()).optional(),
  maxConnections: expression.optional(),
  maxMemoryMiB: expression.optional(),
  readMs: expression.optional(),
})

const behaviourFields = {
  protocol: z.enum(PROTOCOLS).default('http'),
  listen: expression.optional(),
  rpc: z.string().optional(),
  files: z
    .record(identifier, z.strictObject({ path: z.string(), format: z.enum(['json', 'properties', 'text']) }))
    .optional(),
  logLevel: expression.optional(),
  traces: expression.optional(),
  logFormat: z.enum(LOG_FORMATS).optional(),
  accessLog: z.record(z.string(), expression).optional(),
  failurePage: expression.optional(),
  upstreams: z.record(z.string(), orEmpty(upstream)).optional(),
  register: z
    .strictObject({ in: z.string(), as: z.string().optional(), port: expression.optional() })
    .optional(),
  start: steps.optional(),
  startTimeoutMs: z.number().min(0).optional(),
  required: z.array(z.string()).optional(),
  memorySize: expression.optional(),
  access: z.array(access).optional(),
  tokenKey: expression.optional(),
  tokenMaxAge: expression.optional(),
  endpoints: z.record(z.string(), orEmpty(endpoint)).optional(),
  consumes: z.record(z.string(), z.strictObject({ from: z.string(), steps })).optional(),
  every: z.record(z.string(), z.strictObject({ everyMs: z.number().positive(), steps })).optional(),
  work: work.optional(),
  footprintMiB: z.number().positive().optional(),
  concurrency: expression.optional(),
  store: store.optional(),
  defects: z.array(defect).optional(),
}

export const serviceSchema = z
  .strictObject({
    about: z.string().min(1).optional(),
    template: z.unknown().optional(),
    ...behaviourFields,
    deploy: deploySchema.optional(),
  })
  .transform(({ about, template: _, deploy, ...behaviour }) => ({
    about,
    deploy: deploy ?? {},
    behaviour: behaviour as Behaviour,
  }))

export type ParsedService = z.infer<typeof serviceSchema>
