/** The schema of a service's Kubernetes settings. */
import { z } from 'zod'
import { fieldPath, initContainer, securityContext, sidecar } from './container-schema.ts'
import { defect } from './defect-schema.ts'
import { port, portOrName } from './port-schema.ts'
import { livenessOrStartupProbe, serviceReadinessProbe } from './probe-schema.ts'
import { resources } from './resource-schema.ts'
import { claimTemplate, kubeName, volume, volumeMount } from './volume-schema.ts'

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String)
/** False disables the default probe, or the probe of a template. */
const orFalse = <T extends z.ZodType>(probe: T) => z.union([probe, z.literal(false)]).optional()

const envReference = z.union([
  z.strictObject({ secret: z.string(), key: z.string() }),
  z.strictObject({ configMap: z.string(), key: z.string() }),
  z.strictObject({ field: fieldPath }),
])

const envSource = z.union([z.strictObject({ secret: z.string() }), z.strictObject({ configMap: z.string() })])

const servicePort = z.strictObject({
  name: kubeName.optional(),
  port,
  targetPort: portOrName.optional(),
  nodePort: port.optional(),
  protocol: z.enum(['TCP', 'UDP', 'SCTP']).optional(),
  appProtocol: z.string().optional(),
})

const servicePorts = z.array(servicePort).superRefine((ports, context) => {
  for (const [index, { name }] of ports.entries())
    if (ports.length > 1 && name === undefined)
      context.addIssue({
        code: 'custom',
        path: [index, 'name'],
        message: 'is required, because there are several ports',
      })
})

const serviceSpec = z.strictObject({
  type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName']).optional(),
  selector: z.record(z.string(), z.string()).optional(),
  ports: servicePorts.optional(),
  clusterIP: z.string().optional(),
  clusterIPs: z.array(z.string()).optional(),
  externalIPs: z.array(z.string()).optional(),
  externalName: z.string().optional(),
  publishNotReadyAddresses: z.boolean().optional(),
  sessionAffinity: z.enum(['None', 'ClientIP']).optional(),
  sessionAffinityConfig: z.record(z.string(), z.unknown()).optional(),
  externalTrafficPolicy: z.enum(['Cluster', 'Local']).optional(),
  internalTrafficPolicy: z.enum(['Cluster', 'Local']).optional(),
  ipFamilies: z.array(z.enum(['IPv4', 'IPv6'])).optional(),
  ipFamilyPolicy: z.enum(['SingleStack', 'PreferDualStack', 'RequireDualStack']).optional(),
  trafficDistribution: z.string().optional(),
})

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
  container: kubeName.optional(),
  labels: z.record(z.string(), scalar).optional(),
  command: z.array(scalar).optional(),
  args: z.array(scalar).optional(),
  env: z.record(z.string(), z.union([scalar, envReference])).optional(),
  envFrom: z.array(envSource).optional(),
  resources: resources.optional(),
  ports: z.array(port).optional(),
  readinessProbe: orFalse(serviceReadinessProbe),
  livenessProbe: orFalse(livenessOrStartupProbe),
  startupProbe: orFalse(livenessOrStartupProbe),
  volumes: z.array(volume).optional(),
  volumeMounts: z.array(volumeMount).optional(),
  volumeClaimTemplates: z.array(claimTemplate).optional(),
  sidecars: z.array(sidecar).optional(),
  initContainers: z.array(initContainer).optional(),
  securityContext: securityContext.optional(),
  terminationGracePeriodSeconds: z.int().min(0).optional(),
  services: z.array(z.strictObject({ name: z.string().min(1), spec: serviceSpec })).optional(),
  serviceAccount: z.string().optional(),
})

export type ParsedDeploy = z.infer<typeof deploySchema>
