/** DNSChaos: names that resolve to an error or to a random address. */
import { type FieldError, invalid } from '../../meta/index.ts'
import { defineChaosKind, ownSelection } from '../chaos-kind.ts'
import { choiceOf, containerChoice, POD_CHOICE_REQUIRED, texts } from '../chaos-schema.ts'

/** A star stands for any end of a name, so it can only be last. */
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
      description: 'Names that are hit, with ? for one character and * for any end; all where absent.',
    }),
  },
  required: ['action', ...POD_CHOICE_REQUIRED],
  validate: ({ patterns = [] }) => patterns.flatMap(validatePattern),
  selections: ownSelection('container'),
  faults: ({ chaos: { spec }, target }) => [
    { type: 'dns', target, action: spec.action, patterns: spec.patterns ?? [] },
  ],
})
