/** The shape of volumes, of claims for them, and of where containers see them. */
import { z } from 'zod'
import { quantity } from './resource-schema.ts'

const VOLUME_KINDS = [
  ...(['emptyDir', 'configMap', 'secret', 'persistentVolumeClaim'] as const),
  ...(['hostPath', 'projected', 'downwardAPI'] as const),
] as const

/** What Kubernetes takes for the name of a volume, a container or a claim. */
export const kubeName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, { error: 'must have small letters, digits and - only' })

const map = z.record(z.string(), z.unknown())
const mode = z.int().min(0).max(0o777).optional()
const flag = z.boolean().optional()
const items = z.array(z.strictObject({ key: z.string().min(1), path: z.string().min(1), mode })).optional()
const orEmpty = <T extends z.ZodType>(schema: T) => z.preprocess((value) => value ?? {}, schema)

export const volume = z
  .strictObject({
    name: kubeName,
    emptyDir: orEmpty(
      z.strictObject({ medium: z.enum(['', 'Memory']).optional(), sizeLimit: quantity.optional() }),
    ).optional(),
    configMap: z
      .strictObject({ name: z.string().min(1), items, defaultMode: mode, optional: flag })
      .optional(),
    secret: z
      .strictObject({ secretName: z.string().min(1), items, defaultMode: mode, optional: flag })
      .optional(),
    persistentVolumeClaim: z.strictObject({ claimName: z.string().min(1), readOnly: flag }).optional(),
    hostPath: z.strictObject({ path: z.string().min(1), type: z.string().optional() }).optional(),
    projected: z.strictObject({ sources: z.array(map), defaultMode: mode }).optional(),
    downwardAPI: z.strictObject({ items: z.array(map), defaultMode: mode }).optional(),
  })
  .superRefine((one, context) => {
    const given = VOLUME_KINDS.filter((kind) => one[kind] !== undefined)
    if (given.length === 1) return
    const found = given.length === 0 ? '' : `, and has ${given.join(' and ')}`
    context.addIssue({ code: 'custom', message: `must have one of ${VOLUME_KINDS.join(', ')}${found}` })
  })

export const volumeMount = z.strictObject({
  name: kubeName,
  mountPath: z.string().startsWith('/', { error: 'must begin with /' }),
  readOnly: flag,
  subPath: z.string().optional(),
  subPathExpr: z.string().optional(),
  mountPropagation: z.enum(['None', 'HostToContainer', 'Bidirectional']).optional(),
  recursiveReadOnly: z.enum(['Disabled', 'IfPossible', 'Enabled']).optional(),
})

export const claimTemplate = z.strictObject({
  apiVersion: z.literal('v1').optional(),
  kind: z.literal('PersistentVolumeClaim').optional(),
  metadata: z.strictObject({
    name: kubeName,
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z.strictObject({
    accessModes: z
      .array(z.enum(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod']))
      .min(1),
    resources: z.strictObject({
      requests: z.strictObject({ storage: quantity }),
      limits: z.strictObject({ storage: quantity }).optional(),
    }),
    storageClassName: z.string().optional(),
    volumeMode: z.enum(['Filesystem', 'Block']).optional(),
    volumeName: z.string().optional(),
    selector: map.optional(),
  }),
})
