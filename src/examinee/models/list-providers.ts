/** Lists the providers of language models, for users. */
import { type Environment, PROVIDERS, readVariable } from '#examinee/models/providers'
import { REPLAY } from './replay-calls.ts'

export interface ProviderListing {
  readonly name: string
  readonly about: string
  /** A value for `--model`. */
  readonly example: string
  /** The environment variables that may contain the key; empty if the provider has no key. */
  readonly keyVariables: readonly string[]
  readonly needsKey: boolean
  /** Whether the environment contains everything that the provider needs. */
  readonly isReady: boolean
  readonly urlVariables: readonly string[]
  /** The default address. Absent if an address must be given. */
  readonly baseUrl?: string
  /** Whether it reports the cost of each answer. */
  readonly reportsCost?: true
}

export const listProviders = (env: Environment = process.env): ProviderListing[] => [
  ...PROVIDERS.map(({ open: _, ...provider }) => ({
    ...provider,
    example: `${provider.name}:${provider.example}`,
    isReady:
      (!provider.needsKey || readVariable(env, provider.keyVariables) !== undefined) &&
      (provider.baseUrl !== undefined || readVariable(env, provider.urlVariables) !== undefined),
  })),
  {
    name: REPLAY,
    about: 'a recorded conversation',
    example: `${REPLAY}:conversation.jsonl`,
    keyVariables: [],
    needsKey: false,
    isReady: true,
    urlVariables: [],
  },
]
