/** The schemas that all chaos kinds share: target selection and status. */
import type { JsonSchema } from '#platform/kube/kinds'

export const text = (rest: Partial<JsonSchema> = {}): JsonSchema => ({ type: 'string', ...rest })
export const integer = (rest: Partial<JsonSchema> = {}): JsonSchema => ({ type: 'integer', ...rest })
export const texts = (rest: Partial<JsonSchema> = {}): JsonSchema => ({
  type: 'array',
  items: text(),
  ...rest,
})
export const choiceOf = (...values: string[]): JsonSchema => text({ enum: values })
export const fields = (
  properties: Record<string, JsonSchema>,
  required: string[] = [],
  rest: Partial<JsonSchema> = {},
): JsonSchema => ({ type: 'object', properties, ...(required.length === 0 ? {} : { required }), ...rest })

const stringMap: JsonSchema = { type: 'object', additionalProperties: text() }

const podSelectorSchema = fields(
  {
    namespaces: texts(),
    labelSelectors: stringMap,
    expressionSelectors: {
      type: 'array',
      items: fields(
        { key: text(), operator: choiceOf('In', 'NotIn', 'Exists', 'DoesNotExist'), values: texts() },
        ['key', 'operator'],
      ),
    },
    annotationSelectors: stringMap,
    fieldSelectors: stringMap,
    podPhaseSelectors: {
      type: 'array',
      items: choiceOf('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
    },
    pods: { type: 'object', additionalProperties: texts() },
    nodes: texts(),
    nodeSelectors: stringMap,
  },
  [],
  { description: 'Selects the candidate pods; all conditions must match.' },
)

/** The fields `selector`, `mode` and `value` of a pod selection. */
export const podChoice: Readonly<Record<string, JsonSchema>> = {
  selector: podSelectorSchema,
  mode: {
    ...choiceOf('one', 'all', 'fixed', 'fixed-percent', 'random-max-percent'),
    description: 'How many of the candidate pods are selected.',
  },
  value: text({ description: 'The number or percentage of pods, depending on the mode.' }),
}
export const POD_CHOICE_REQUIRED = ['selector', 'mode']

export const containerChoice: Readonly<Record<string, JsonSchema>> = {
  ...podChoice,
  containerNames: texts({
    description: 'The affected containers. Defaults to the first container of each pod.',
  }),
}

export const durationSchema = text({
  description:
    'The duration of the experiment from the creation of the object, such as 90s or 1m30s. Defaults to no limit.',
})

const recordSchema = fields(
  {
    id: text(),
    selectorKey: text(),
    phase: text(),
    injectedCount: integer(),
    recoveredCount: integer(),
    before: fields({ uid: text(), images: stringMap }, ['images', 'uid']),
    events: {
      type: 'array',
      items: fields(
        { type: text(), operation: text(), message: text(), timestamp: text({ format: 'date-time' }) },
        ['operation', 'timestamp', 'type'],
      ),
    },
  },
  ['id', 'injectedCount', 'phase', 'recoveredCount', 'selectorKey'],
)

export const statusSchema = fields(
  {
    conditions: {
      type: 'array',
      items: fields({ type: text(), status: text(), reason: text() }, ['status', 'type']),
    },
    experiment: fields({
      desiredPhase: choiceOf('Run', 'Stop'),
      containerRecords: { type: 'array', items: recordSchema },
    }),
  },
  ['experiment'],
)
