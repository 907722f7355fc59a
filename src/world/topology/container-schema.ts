/** The schema of sidecars and init containers, in the notation of Kubernetes. */
import { z } from 'zod'
import { containerPort } from './port-schema.ts'
import { livenessOrStartupProbe, readinessProbe } from './probe-schema.ts'
import { resources } from './resource-schema.ts'
import { kubeName, volumeMount } from './volume-schema.ts'

const POD_FIELDS = [
  ...['metadata.name', 'metadata.namespace', 'metadata.uid', "metadata.labels['KEY']"],
  ...["metadata.annotations['KEY']", 'spec.nodeName', 'spec.serviceAccountName', 'status.podIP'],
  ...['status.podIPs', 'status.hostIP', 'status.hostIPs'],
]
const KEYED_FIELD = /^metadata\.(?:labels|annotations)\['[^']+'\]$/

/** A field of the pod that a variable can refer to. */
export const fieldPath = z
  .string()
  .refine((path) => KEYED_FIELD.test(path) || (POD_FIELDS.includes(path) && !path.endsWith(']')), {
    error: ({ input }) => `must be one of ${POD_FIELDS.join(', ')}, not ${String(input)}`,
  })

const map = z.record(z.string(), z.unknown())
const optionalBoolean = z.boolean().optional()
const nonEmpty = z.string().min(1)
const keyReference = z.strictObject({ name: nonEmpty, key: nonEmpty, optional: optionalBoolean }).optional()
const nameReference = z.strictObject({ name: nonEmpty, optional: optionalBoolean }).optional()

const exactlyOneOf = <T extends z.ZodObject>(schema: T, kinds: readonly string[]) =>
  schema.refine((value) => kinds.filter((kind) => value[kind] !== undefined).length === 1, {
    error: `must have one of ${kinds.join(', ')}`,
  })

const valueFrom = exactlyOneOf(
  z.strictObject({
    secretKeyRef: keyReference,
    configMapKeyRef: keyReference,
    fieldRef: z.strictObject({ fieldPath, apiVersion: z.string().optional() }).optional(),
    resourceFieldRef: map.optional(),
  }),
  ['secretKeyRef', 'configMapKeyRef', 'fieldRef', 'resourceFieldRef'],
)

const envFrom = exactlyOneOf(
  z.strictObject({ prefix: z.string().optional(), secretRef: nameReference, configMapRef: nameReference }),
  ['secretRef', 'configMapRef'],
)

export const securityContext = z.strictObject({
  capabilities: z
    .strictObject({ add: z.array(z.string()).optional(), drop: z.array(z.string()).optional() })
    .optional(),
  privileged: optionalBoolean,
  runAsUser: z.int().min(0).optional(),
  runAsGroup: z.int().min(0).optional(),
  runAsNonRoot: optionalBoolean,
  readOnlyRootFilesystem: optionalBoolean,
  allowPrivilegeEscalation: optionalBoolean,
  procMount: z.string().optional(),
  seLinuxOptions: map.optional(),
  seccompProfile: map.optional(),
  appArmorProfile: map.optional(),
})

const commonFields = {
  name: kubeName,
  image: z.string().regex(/^\S+$/, { error: 'must be the name of an image' }),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  workingDir: z.string().optional(),
  ports: z.array(containerPort).optional(),
  env: z
    .array(z.strictObject({ name: nonEmpty, value: z.string().optional(), valueFrom: valueFrom.optional() }))
    .optional(),
  envFrom: z.array(envFrom).optional(),
  resources: resources.optional(),
  volumeMounts: z.array(volumeMount).optional(),
  securityContext: securityContext.optional(),
  lifecycle: map.optional(),
  terminationMessagePath: z.string().optional(),
  terminationMessagePolicy: z.enum(['File', 'FallbackToLogsOnError']).optional(),
  readinessProbe: readinessProbe.optional(),
  livenessProbe: livenessOrStartupProbe.optional(),
  startupProbe: livenessOrStartupProbe.optional(),
  stdin: optionalBoolean,
  stdinOnce: optionalBoolean,
  tty: optionalBoolean,
}

export const sidecar = z.strictObject(commonFields)
/** Only an init container with `restartPolicy: Always`, a sidecar, may have probes. */
export const initContainer = z
  .strictObject({ ...commonFields, restartPolicy: z.literal('Always').optional() })
  .superRefine((container, context) => {
    if (container.restartPolicy === 'Always') return
    for (const probe of ['readinessProbe', 'livenessProbe', 'startupProbe'] as const)
      if (container[probe] !== undefined)
        context.addIssue({ code: 'custom', path: [probe], message: 'needs "restartPolicy: Always"' })
  })

export type ParsedContainer = z.infer<typeof sidecar>
