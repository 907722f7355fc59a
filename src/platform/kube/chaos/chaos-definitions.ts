/** The CustomResourceDefinitions of the chaos kinds. */
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  JSONSchemaProps,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import type { Draft } from '#platform/kube/meta'
import type { ChaosKind } from './chaos-kind.ts'
import { chaosKinds } from './chaos-kinds.ts'
import { CHAOS_GROUP, CHAOS_VERSION } from './chaos-object.ts'
import { durationSchema, fields, statusSchema } from './chaos-schema.ts'

const column = (name: string): CustomResourceColumnDefinition => ({
  name,
  type: 'string',
  jsonPath: `.spec.${name}`,
})

const toDefinition = ({
  kind,
  hasAction,
  properties,
  required,
}: ChaosKind): Draft<CustomResourceDefinition> => {
  const plural = kind.toLowerCase()
  const spec = fields({ ...properties, duration: durationSchema }, [...required])
  const schema = fields({ spec, status: statusSchema }, ['spec'])
  return {
    metadata: { name: `${plural}.${CHAOS_GROUP}` },
    spec: {
      group: CHAOS_GROUP,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: plural },
      versions: [
        {
          name: CHAOS_VERSION,
          served: true,
          storage: true,
          // As in Chaos Mesh, there is no status subresource; the status is written with the object.
          additionalPrinterColumns: [...(hasAction ? [column('action')] : []), column('duration')],
          schema: { openAPIV3Schema: schema as JSONSchemaProps },
        },
      ],
    },
  }
}

export const chaosDefinitions: readonly Draft<CustomResourceDefinition>[] = chaosKinds.map(toDefinition)
