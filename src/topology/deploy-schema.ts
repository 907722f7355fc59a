/** The shape of what Kubernetes is told of a service. */
import { z } from 'zod'
import { defect } from './defect-schema.ts'

/** An object as Kubernetes has it; the API proves it when it is made. */
const kubernetesObject = z.record(z.string(), z.unknown())
export const port = z.int().min(1).max(65_535)
const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String)
/** False for none, where there would be one by default. */
const probe = z.union([kubernetesObject, z.literal(false)]).optional()

const reference = z.union([
  z.strictObject({ secret: z.string(), key: z.string() }),
  z.strictObject({ configMap: z.string(), key: z.string() }),
  z.strictObject({ field: z.string() }),
])

const source = z.union([z.strictObject({ secret: z.string() }), z.strictObject({ configMap: z.string() })])

/** As Kubernetes has it; the ports are looked at here, because callers and doors need them. */
const serviceSpec = z.looseObject({ ports: z.array(z.looseObject({ port })).optional() })

export const deploySchema = z.strictObject({
  kind: z.enum(['Deployment', 'StatefulSet']).optional(),
  replicas: z.int().min(0).optional(),
  image: z
    .string()
    .regex(/^[^\s:@]+(?::\d+\/[^\s:@]+)?(?::[\w.-]+)?$/, {
      error: 'must be the name of an image, with a tag',
    })
    .optional(),
  releases: z
    .record(
      z.string(),
      z.preprocess((value) => value ?? {}, z.strictObject({ defects: z.array(defect).optional() })),
    )
    .optional(),
  container: z.string().optional(),
  labels: z.record(z.string(), scalar).optional(),
  command: z.array(scalar).optional(),
  args: z.array(scalar).optional(),
  env: z.record(z.string(), z.union([scalar, reference])).optional(),
  envFrom: z.array(source).optional(),
  resources: kubernetesObject.optional(),
  ports: z.array(port).optional(),
  readinessProbe: probe,
  livenessProbe: probe,
  startupProbe: probe,
  volumes: z.array(kubernetesObject).optional(),
  volumeMounts: z.array(kubernetesObject).optional(),
  volumeClaimTemplates: z.array(kubernetesObject).optional(),
  sidecars: z.array(kubernetesObject).optional(),
  initContainers: z.array(kubernetesObject).optional(),
  securityContext: kubernetesObject.optional(),
  terminationGracePeriodSeconds: z.int().min(0).optional(),
  services: z.array(z.strictObject({ name: z.string().min(1), spec: serviceSpec })).optional(),
  serviceAccount: z.string().optional(),
})

export type ParsedDeploy = z.infer<typeof deploySchema>
