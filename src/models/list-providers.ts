/** The providers for those who list them. */
import { type Environment, firstSet, PROVIDERS } from './providers/index.ts'
import { REPLAY } from './replaying.ts'

export interface ProviderListing {
  readonly name: string
  readonly about: string
  /** What to give as `--model`. */
  readonly example: string
  /** Variables that may hold the key; none where there is none to be had. */
  readonly keyVariables: readonly string[]
  readonly needsKey: boolean
  /** Whether all that it needs from the environment is there. */
  readonly isReady: boolean
  readonly urlVariables: readonly string[]
  /** Where it is unless somebody says otherwise; absent where somebody must. */
  readonly baseUrl?: string
  /** It says of each answer what it cost. */
  readonly tellsCost?: true
}

export const listProviders = (env: Environment = process.env): ProviderListing[] => [
  ...PROVIDERS.map(({ open: _, ...provider }) => ({
    ...provider,
    example: `${provider.name}:${provider.example}`,
    isReady:
      (!provider.needsKey || firstSet(env, provider.keyVariables) !== undefined) &&
      (provider.baseUrl !== undefined || firstSet(env, provider.urlVariables) !== undefined),
  })),
  {
    name: REPLAY,
    about: 'a conversation that was recorded before',
    example: `${REPLAY}:conversation.jsonl`,
    keyVariables: [],
    needsKey: false,
    isReady: true,
    urlVariables: [],
  },
]
