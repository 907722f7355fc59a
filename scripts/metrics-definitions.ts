/** The types of metrics.k8s.io, which a control plane without a metrics server does not publish. */
import type { Definition, Property } from './openapi-definition.ts'

const META = '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.'
const METRICS = 'io.k8s.metrics.pkg.apis.metrics.v1beta1.'
const typeMeta: Record<string, Property> = { apiVersion: { type: 'string' }, kind: { type: 'string' } }
const usage: Property = {
  type: 'object',
  additionalProperties: { $ref: '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity' },
}
const sample: Record<string, Property> = {
  ...typeMeta,
  metadata: { $ref: `${META}ObjectMeta` },
  timestamp: { $ref: `${META}Time` },
  window: { $ref: `${META}Duration` },
}
const arrayOf = (item: string): Property => ({
  type: 'array',
  items: { $ref: `#/definitions/${METRICS}${item}` },
})
const kindOf = (kind: string): Pick<Definition, 'x-kubernetes-group-version-kind'> => ({
  'x-kubernetes-group-version-kind': [{ group: 'metrics.k8s.io', version: 'v1beta1', kind }],
})
const listDefinition = (item: string): Definition => ({
  type: 'object',
  properties: { ...typeMeta, metadata: { $ref: `${META}ListMeta` }, items: arrayOf(item) },
  required: ['metadata', 'items'],
  ...kindOf(`${item}List`),
})

export const metricsDefinitions: Record<string, Definition> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.Duration': { type: 'string' },
  [`${METRICS}ContainerMetrics`]: {
    type: 'object',
    properties: { name: { type: 'string' }, usage },
    required: ['name', 'usage'],
  },
  [`${METRICS}NodeMetrics`]: {
    type: 'object',
    properties: { ...sample, usage },
    required: ['timestamp', 'window', 'usage'],
    ...kindOf('NodeMetrics'),
  },
  [`${METRICS}NodeMetricsList`]: listDefinition('NodeMetrics'),
  [`${METRICS}PodMetrics`]: {
    type: 'object',
    properties: {
      ...sample,
      containers: {
        ...arrayOf('ContainerMetrics'),
        'x-kubernetes-list-type': 'atomic',
      },
    },
    required: ['timestamp', 'window', 'containers'],
    ...kindOf('PodMetrics'),
  },
  [`${METRICS}PodMetricsList`]: listDefinition('PodMetrics'),
}
