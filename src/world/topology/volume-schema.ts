/** The schema of volumes, volume claims and volume mounts. */
import { z } from 'zod'
import { quantity } from './resource-schema.ts'

const VOLUME_KINDS = [
  ...(['emptyDir', 'configMap', 'secret', 'persistentVolumeClaim'] as const),
  ...(['hostPath', 'projected', 'downwardAPI'] as const),
] as const

/** A valid name of a volume, a container or a claim. */
export const kubeName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, {
    error: 'must consist of lower-case letters, digits and -, with no - at the start or end',
  })

const map = z.record(z.string(), z.unknown())
const mode = z.int().min(0).max(0o777).optional()
const optionalBoolean = z.boolean().optional()
const items = z.array(z.strictObject({ key: z.string().min(1), path: z.string().min(1), mode })).optional()
const orEmpty = <T extends z.ZodType>(schema: T) => z.preprocess((value) => value ?? {}, schema)

export const volume = z
  .strictObject({
    name: kubeName,
    emptyDir: orEmpty(
      z.strictObject({ medium: z.enum(['', 'Memory']).optional(), sizeLimit: quantity.optional() }),
    ).optional(),
    configMap: z
      .strictObject({ name: z.string().min(1), items, defaultMode: mode, optional: optionalBoolean })
      .optional(),
    secret: z
      .strictObject({ secretName: z.string().min(1), items, defaultMode: mode, optional: optionalBoolean })
      .optional(),
    persistentVolumeClaim: z
      .strictObject({ claimName: z.string().min(1), readOnly: optionalBoolean })
      .optional(),
    hostPath: z.strictObject({ path: z.string().min(1), type: z.string().optional() }).optional(),
    projected: z.strictObject({ sources: z.array(map), defaultMode: mode }).optional(),
    downwardAPI: z.strictObject({ items: z.array(map), defaultMode: mode }).optional(),
  })
  .superRefine((parsed, context) => {
    const kinds = VOLUME_KINDS.filter((kind) => parsed[kind] !== undefined)
    if (kinds.length === 1) return
    const found = kinds.length === 0 ? '' : `, but has ${kinds.join(' and ')}`
    context.addIssue({ code: 'custom', message: `must have one of ${VOLUME_KINDS.join(', ')}${found}` })
  })

export const volumeMount = z.strictObject({
  name: kubeName,
  mountPath: z.string().startsWith('/', { error: 'must start with /' }),
  readOnly: optionalBoolean,
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
