/** The schema of probes. */
import { z } from 'zod'
import { port, portOrName } from './port-schema.ts'

const HANDLERS = ['httpGet', 'tcpSocket', 'exec', 'grpc'] as const
const positiveInteger = z.int().min(1).optional()

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
  periodSeconds: positiveInteger,
  timeoutSeconds: positiveInteger,
  successThreshold: positiveInteger,
  failureThreshold: positiveInteger,
  terminationGracePeriodSeconds: positiveInteger,
}

/** A probe has exactly one handler, or none if there is a default. */
const createProbeSchema = (minHandlers: 0 | 1) =>
  z.strictObject(fields).superRefine((probe, context) => {
    const handlers = HANDLERS.filter((handler) => probe[handler] !== undefined)
    if (handlers.length >= minHandlers && handlers.length <= 1) return
    const found = handlers.length === 0 ? '' : `, but has ${handlers.join(' and ')}`
    context.addIssue({ code: 'custom', message: `must have one of ${HANDLERS.join(', ')}${found}` })
  })

const needsOneSuccess = (probe: { successThreshold?: number | undefined }): boolean =>
  (probe.successThreshold ?? 1) === 1
const ONE_SUCCESS = { path: ['successThreshold'], error: 'must be 1 in liveness and startup probes' }

/** The readiness probe of a service; without a handler it checks the port. */
export const serviceReadinessProbe = createProbeSchema(0)
export const readinessProbe = createProbeSchema(1)
export const livenessOrStartupProbe = createProbeSchema(1).refine(needsOneSuccess, ONE_SUCCESS)
