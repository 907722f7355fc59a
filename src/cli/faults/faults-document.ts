/** The page docs/faults.md, made of what the faults declare. */
import { LAYER_MEANINGS, TYPE_MEANINGS } from '../../spec/index.ts'
import { type FaultDescription, wordsText } from './describe-fault.ts'
import { rangeText } from './parse-parameters.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')

const section = (fault: FaultDescription): string => {
  const parameters = Object.entries(fault.parameters).map(
    ([name, declaration]) => `\`${name}\` (${rangeText(declaration)}; ${declaration.default})`,
  )
  return [
    `### ${fault.name}`,
    '',
    `${fault.about}.`,
    '',
    `- ${fault.category}; ${wordsText(fault.layer, fault.otherLayers)}; ${wordsText(fault.type, fault.otherTypes)}; ${fault.binding === 'pod' ? 'pod-bound' : 'root cause'}; ${fault.shapes.join(', ')}`,
    `- parameters: ${parameters.join(', ') || 'none'}`,
    `- symptoms: ${fault.symptoms.join('; ')}`,
    ...(fault.hacks.length === 0
      ? []
      : [`- own hacks: ${fault.hacks.map(({ name, about }) => `\`${name}\` (${about})`).join('; ')}`]),
  ].join('\n')
}

const meanings = (heading: string, words: Readonly<Record<string, string>>): string =>
  table([heading, 'means'], Object.entries(words))

const crossed = (faults: readonly FaultDescription[]): string => {
  const layers = [...new Set(faults.map(({ layer }) => layer))].sort()
  const categories = [...new Set(faults.map(({ category }) => category))].sort()
  return table(
    ['category', ...layers],
    categories.map((category) => [
      category,
      ...layers.map((layer) => {
        const names = faults.filter((fault) => fault.category === category && fault.layer === layer)
        return names.map(({ name }) => `[${name}](#${name})`).join(', ') || ' '
      }),
    ]),
  )
}

export const faultsDocument = (faults: readonly FaultDescription[]): string => `# Faults

Made by \`remedium faults --markdown\` from what the faults declare; a test keeps the two equal. There are ${faults.length}. A
*pod-bound* fault sits in one pod and is gone with it; a *root cause* outlives a restart of what it is in. Of \`database-dropped\` that is
the store: to restart the service that fills it at its start is the repair. \`remedium faults NAME\` says more, also which services of which
system it fits.

## Categories and layers

${crossed(faults)}

## What the words mean

Whoever is asked for the layer and the type of a cause is told this. Of some causes more than one word is true: those in brackets below
count as well.

${meanings('layer', LAYER_MEANINGS)}

${meanings('type', TYPE_MEANINGS)}

## All

${faults.map(section).join('\n\n')}
`
