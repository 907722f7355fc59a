/** The shape of containers beside a service's own, written as Kubernetes has them. */
import { z } from 'zod'
import { containerPort } from './port-schema.ts'
import { otherProbe, readinessProbe } from './probe-schema.ts'
import { resources } from './resource-schema.ts'
import { kubeName, volumeMount } from './volume-schema.ts'

const FIELDS = [
  ...['metadata.name', 'metadata.namespace', 'metadata.uid', "metadata.labels['KEY']"],
  ...["metadata.annotations['KEY']", 'spec.nodeName', 'spec.serviceAccountName', 'status.podIP'],
  ...['status.podIPs', 'status.hostIP', 'status.hostIPs'],
]
const KEYED = /^metadata\.(?:labels|annotations)\['[^']+'\]$/

/** What a variable can be told of its pod. */
export const fieldPath = z
  .string()
  .refine((path) => KEYED.test(path) || (FIELDS.includes(path) && !path.endsWith(']')), {
    error: ({ input }) => `must be one of ${FIELDS.join(', ')}, not ${String(input)}`,
  })

const map = z.record(z.string(), z.unknown())
const flag = z.boolean().optional()
const name = z.string().min(1)
const keyReference = z.strictObject({ name, key: name, optional: flag }).optional()
const wholeReference = z.strictObject({ name, optional: flag }).optional()

const oneOf = <T extends z.ZodObject>(schema: T, kinds: readonly string[]) =>
  schema.refine((value) => kinds.filter((kind) => value[kind] !== undefined).length === 1, {
    error: `must have one of ${kinds.join(', ')}`,
  })

const valueFrom = oneOf(
  z.strictObject({
    secretKeyRef: keyReference,
    configMapKeyRef: keyReference,
    fieldRef: z.strictObject({ fieldPath, apiVersion: z.string().optional() }).optional(),
    resourceFieldRef: map.optional(),
  }),
  ['secretKeyRef', 'configMapKeyRef', 'fieldRef', 'resourceFieldRef'],
)

const envFrom = oneOf(
  z.strictObject({ prefix: z.string().optional(), secretRef: wholeReference, configMapRef: wholeReference }),
  ['secretRef', 'configMapRef'],
)

export const securityContext = z.strictObject({
  capabilities: z
    .strictObject({ add: z.array(z.string()).optional(), drop: z.array(z.string()).optional() })
    .optional(),
  privileged: flag,
  runAsUser: z.int().min(0).optional(),
  runAsGroup: z.int().min(0).optional(),
  runAsNonRoot: flag,
  readOnlyRootFilesystem: flag,
  allowPrivilegeEscalation: flag,
  procMount: z.string().optional(),
  seLinuxOptions: map.optional(),
  seccompProfile: map.optional(),
  appArmorProfile: map.optional(),
})

const common = {
  name: kubeName,
  image: z.string().regex(/^\S+$/, { error: 'must be the name of an image' }),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  workingDir: z.string().optional(),
  ports: z.array(containerPort).optional(),
  env: z
    .array(z.strictObject({ name, value: z.string().optional(), valueFrom: valueFrom.optional() }))
    .optional(),
  envFrom: z.array(envFrom).optional(),
  resources: resources.optional(),
  volumeMounts: z.array(volumeMount).optional(),
  securityContext: securityContext.optional(),
  lifecycle: map.optional(),
  terminationMessagePath: z.string().optional(),
  terminationMessagePolicy: z.enum(['File', 'FallbackToLogsOnError']).optional(),
  readinessProbe: readinessProbe.optional(),
  livenessProbe: otherProbe.optional(),
  startupProbe: otherProbe.optional(),
  stdin: flag,
  stdinOnce: flag,
  tty: flag,
}

export const sidecar = z.strictObject(common)
/** One that is always restarted runs beside the others, and only then can be asked whether it is well. */
export const initContainer = z
  .strictObject({ ...common, restartPolicy: z.literal('Always').optional() })
  .superRefine((container, context) => {
    if (container.restartPolicy === 'Always') return
    for (const probe of ['readinessProbe', 'livenessProbe', 'startupProbe'] as const)
      if (container[probe] !== undefined)
        context.addIssue({ code: 'custom', path: [probe], message: 'needs "restartPolicy: Always"' })
  })

export type ParsedContainer = z.infer<typeof sidecar>
