/** A provider of language models: its address, its key variables, and how its part of the AI SDK is opened. */
import type { LanguageModel as SdkModel } from 'ai'
import { RemediumError } from '#spec'

/** An opened model of the AI SDK, as opposed to the name of one. */
export type OpenedModel = Exclude<SdkModel, string>

export type ProviderOptions = Record<string, Record<string, Record<string, boolean>>>

export type Environment = Readonly<Record<string, string | undefined>>

/** The key and address of an endpoint, resolved from the command line and the environment. */
export interface Access {
  readonly key: string | undefined
  /** Always passed to the SDK, which would otherwise use the environment. That may have changed when a run is resumed. */
  readonly baseUrl: string
}

export interface Provider {
  /** The part of `provider:name` before the colon. */
  readonly name: string
  /** In one phrase. */
  readonly about: string
  /** An example of the part after the colon. */
  readonly example: string
  /** The environment variables that may contain the key. The first one that is set is used. */
  readonly keyVariables: readonly string[]
  readonly needsKey: boolean
  /** The environment variables that may contain the address. `--base-url` takes precedence. */
  readonly urlVariables: readonly string[]
  /** The default address. Absent if an address must be given. */
  readonly baseUrl?: string
  /** Sent if a reasoning effort is requested, so that answers contain the text of the reasoning. */
  readonly reasoningOptions?: ProviderOptions
  /** Whether it reports the cost of each answer. */
  readonly reportsCost?: true
  /** Loads the provider's part of the SDK, which is slow. It is called when a model is asked for the first time. */
  open(model: string, access: Access): Promise<OpenedModel>
}

/** Returns the value of the first variable that is set and not empty. */
export const readVariable = (env: Environment, variables: readonly string[]): string | undefined =>
  variables.map((variable) => env[variable]?.trim()).find((value) => value !== undefined && value !== '')

const checkUrl = (text: string): string => {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new RemediumError('bad-argument', `"${text}" is not a valid address of a model provider.`, {
    hint: 'Pass a complete HTTP address, such as http://127.0.0.1:8000/v1.',
  })
}

/** Resolves the key and the address of a provider. Throws, naming the variable, if one is missing. */
export const findAccess = (provider: Provider, env: Environment, baseUrl?: string): Access => {
  const key = readVariable(env, provider.keyVariables)
  if (provider.needsKey && key === undefined) {
    throw new RemediumError('key-missing', `The provider ${provider.name} requires a key.`, {
      hint: `Set the environment variable ${provider.keyVariables.join(' or ')}.`,
    })
  }
  const url = baseUrl ?? readVariable(env, provider.urlVariables) ?? provider.baseUrl
  if (url === undefined) {
    throw new RemediumError('bad-argument', `The provider ${provider.name} requires an address.`, {
      hint: `Pass --base-url, or set the environment variable ${provider.urlVariables.join(' or ')}.`,
    })
  }
  return { key, baseUrl: checkUrl(url) }
}
