/** The page docs/faults.md, made of what the faults declare. */
import type { FaultDescription } from './describe-fault.ts'
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
    `- ${fault.category}; ${fault.layer}; ${fault.type}; ${fault.binding === 'pod' ? 'pod-bound' : 'root cause'}; ${fault.shapes.join(', ')}`,
    `- parameters: ${parameters.join(', ') || 'none'}`,
    `- symptoms: ${fault.symptoms.join('; ')}`,
    ...(fault.hacks.length === 0
      ? []
      : [`- own hacks: ${fault.hacks.map(({ name, about }) => `\`${name}\` (${about})`).join('; ')}`]),
  ].join('\n')
}

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
*pod-bound* fault sits in one pod and is gone with it; a *root cause* outlives a restart. \`remedium faults NAME\` says more, also which services of which system it fits.

## Categories and layers

${crossed(faults)}

## All

${faults.map(section).join('\n\n')}
`
