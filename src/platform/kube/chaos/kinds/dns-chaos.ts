/** DNSChaos: makes lookups of names fail or return a random address. */
import { type FieldError, invalid } from '#platform/kube/meta'
import { defineChaosKind, singleSelection } from '../chaos-kind.ts'
import { choiceOf, containerChoice, POD_CHOICE_REQUIRED, texts } from '../chaos-schema.ts'

/** A star matches the rest of a name, so it must be last. */
const validatePattern = (pattern: string, index: number): FieldError[] =>
  /^[^*]*\*?$/.test(pattern)
    ? []
    : [invalid(`spec.patterns[${index}]`, pattern, 'the wildcard * must be at the end of the pattern')]

export const dnsChaos = defineChaosKind({
  kind: 'DNSChaos',
  hasAction: true,
  properties: {
    ...containerChoice,
    action: choiceOf('error', 'random'),
    patterns: texts({
      description:
        'The affected names; ? matches one character, * the rest of the name. Defaults to all names.',
    }),
  },
  required: ['action', ...POD_CHOICE_REQUIRED],
  validate: ({ patterns = [] }) => patterns.flatMap(validatePattern),
  selections: singleSelection('container'),
  faults: ({ chaos: { spec }, target }) => [
    { type: 'dns', target, action: spec.action, patterns: spec.patterns ?? [] },
  ],
})
