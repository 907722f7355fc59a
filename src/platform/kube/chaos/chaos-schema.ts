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

const pairs: JsonSchema = { type: 'object', additionalProperties: text() }

const podSelector = fields(
  {
    namespaces: texts(),
    labelSelectors: pairs,
    expressionSelectors: {
      type: 'array',
      items: fields(
        { key: text(), operator: choiceOf('In', 'NotIn', 'Exists', 'DoesNotExist'), values: texts() },
        ['key', 'operator'],
      ),
    },
    annotationSelectors: pairs,
    fieldSelectors: pairs,
    podPhaseSelectors: {
      type: 'array',
      items: choiceOf('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
    },
    pods: { type: 'object', additionalProperties: texts() },
    nodes: texts(),
    nodeSelectors: pairs,
  },
  [],
  { description: 'Selects the candidate pods; all conditions must match.' },
)

/** The fields `selector`, `mode` and `value` of a pod selection. */
export const podChoice: Readonly<Record<string, JsonSchema>> = {
  selector: podSelector,
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

const record = fields(
  {
    id: text(),
    selectorKey: text(),
    phase: text(),
    injectedCount: integer(),
    recoveredCount: integer(),
    before: fields({ uid: text(), images: pairs }, ['images', 'uid']),
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
      containerRecords: { type: 'array', items: record },
    }),
  },
  ['experiment'],
)
