/** The shape of probes, which ask a container whether it is well. */
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

/** How it asks is said in exactly one way; or in none, where there is one by default. */
const probeWith = (fewest: 0 | 1) =>
  z.strictObject(fields).superRefine((probe, context) => {
    const given = HANDLERS.filter((handler) => probe[handler] !== undefined)
    if (given.length >= fewest && given.length <= 1) return
    const found = given.length === 0 ? '' : `, and has ${given.join(' and ')}`
    context.addIssue({ code: 'custom', message: `must have one of ${HANDLERS.join(', ')}${found}` })
  })

const once = (probe: { successThreshold?: number | undefined }): boolean =>
  (probe.successThreshold ?? 1) === 1
const ONCE = { path: ['successThreshold'], error: 'must be 1, but for readiness' }

/** Of a service: one that says times only is about its port. */
export const ownReadinessProbe = probeWith(0)
export const readinessProbe = probeWith(1)
/** Of liveness or of the start. */
export const otherProbe = probeWith(1).refine(once, ONCE)
