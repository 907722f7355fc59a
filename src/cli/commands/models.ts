/** `remedium models`: where language models can be had, and what is missing for it. */
import type { ProviderListing } from '../../models/index.ts'
import { defineCommand } from '../define-command.ts'
import { toTable } from '../table.ts'

const keyText = ({ keyVariables, needsKey, isReady, baseUrl, urlVariables }: ProviderListing): string => {
  if (keyVariables.length === 0) return 'none'
  const names = keyVariables.join(' or ')
  const state = isReady ? '(is set)' : '(is not set)'
  const address = baseUrl === undefined ? `; address in ${urlVariables.join(' or ')} ${state}` : ''
  return needsKey ? `${names} ${state}` : `${names}, if any${address}`
}

export const models = defineCommand({
  summary: 'List the providers of language models, and which keys they need',
  examples: ['remedium run --agent react --model openai:gpt-5-mini     a model for an agent'],
  async run({ answer }) {
    const { listProviders } = await import('../../models/index.ts')
    const providers = listProviders()
    answer(
      { providers },
      toTable(
        ['PROVIDER', 'FOR EXAMPLE', 'KEY IN', 'ABOUT'],
        providers.map((one) => [one.name, one.example, keyText(one), one.about]),
      ),
    )
    return 0
  },
})
