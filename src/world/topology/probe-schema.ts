/** The schema of probes. */
import { z } from 'zod'
import { port, portOrName } from './port-schema.ts'

const HANDLERS = ['httpGet', 'tcpSocket', 'exec', 'grpc'] as const
const count = z.int().min(1).optional()

const fields = {
  httpGet: z
    .strictObject({
      port: portOrName,
      path: z.string().optional(),
      host: z.string().optional(),
      scheme: z.enum(['HTTP', 'HTTPS']).optional(),
      httpHeaders: z.array(z.strictObject({ name: z.string().min(1), value: z.string() })).optional(),
    })
    .optional(),
  tcpSocket: z.strictObject({ port: portOrName, host: z.string().optional() }).optional(),
  exec: z.strictObject({ command: z.array(z.string()).min(1) }).optional(),
  grpc: z.strictObject({ port, service: z.string().optional() }).optional(),
  initialDelaySeconds: z.int().min(0).optional(),
  periodSeconds: count,
  timeoutSeconds: count,
  successThreshold: count,
  failureThreshold: count,
  terminationGracePeriodSeconds: count,
}

/** A probe has exactly one handler, or none if there is a default. */
const probeWith = (minHandlers: 0 | 1) =>
  z.strictObject(fields).superRefine((probe, context) => {
    const handlers = HANDLERS.filter((handler) => probe[handler] !== undefined)
    if (handlers.length >= minHandlers && handlers.length <= 1) return
    const found = handlers.length === 0 ? '' : `, but has ${handlers.join(' and ')}`
    context.addIssue({ code: 'custom', message: `must have one of ${HANDLERS.join(', ')}${found}` })
  })

const succeedsOnce = (probe: { successThreshold?: number | undefined }): boolean =>
  (probe.successThreshold ?? 1) === 1
const SUCCESS_THRESHOLD = { path: ['successThreshold'], error: 'must be 1 in liveness and startup probes' }

/** The readiness probe of a service; without a handler it checks the port. */
export const ownReadinessProbe = probeWith(0)
export const readinessProbe = probeWith(1)
/** A liveness or startup probe. */
export const otherProbe = probeWith(1).refine(succeedsOnce, SUCCESS_THRESHOLD)
