/** A provider of language models: where it is, whose key it wants, and how its SDK is opened. */
import type { LanguageModel as SdkModel } from 'ai'
import { RemediumError } from '../../spec/index.ts'

/** What the AI SDK calls a model, opened; never just its name. */
export type OpenedModel = Exclude<SdkModel, string>

export type Environment = Readonly<Record<string, string | undefined>>

/** How to reach the endpoint, after the environment and the command line have been read. */
export interface Access {
  readonly key: string | undefined
  /** Always said: left to itself, an SDK reads the environment, where whoever goes on with a run may have other addresses. */
  readonly baseUrl: string
}

export interface Provider {
  /** Before the colon of `provider:name`. */
  readonly name: string
  /** In one phrase. */
  readonly about: string
  /** An example of what comes after the colon. */
  readonly example: string
  /** Variables of the environment that may hold its key; the first that is set counts. */
  readonly keyVariables: readonly string[]
  readonly needsKey: boolean
  /** Variables that may say where it is; `--base-url` comes before them. */
  readonly urlVariables: readonly string[]
  /** Where it is unless somebody says otherwise; absent where somebody must. */
  readonly baseUrl?: string
  /** It says of each answer what it cost. */
  readonly tellsCost?: true
  /** Loads its part of the SDK, which takes a while: only when a model is asked for the first time. */
  open(model: string, access: Access): Promise<OpenedModel>
}

/** What the first variable holds that is set and not empty. */
export const firstSet = (env: Environment, variables: readonly string[]): string | undefined =>
  variables.map((variable) => env[variable]?.trim()).find((value) => value !== undefined && value !== '')

const checkUrl = (text: string): string => {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new RemediumError('bad-argument', `"${text}" is no address of a provider of language models.`, {
    hint: 'Give the whole address, such as http://127.0.0.1:8000/v1.',
  })
}

/** Key and address of a provider; what is missing is told at once, with the name of the variable. */
export const findAccess = (provider: Provider, env: Environment, baseUrl?: string): Access => {
  const key = firstSet(env, provider.keyVariables)
  if (provider.needsKey && key === undefined) {
    throw new RemediumError('key-missing', `The provider ${provider.name} needs a key, and there is none.`, {
      hint: `Set the variable ${provider.keyVariables.join(' or ')} in the environment.`,
    })
  }
  const url = baseUrl ?? firstSet(env, provider.urlVariables) ?? provider.baseUrl
  if (url === undefined) {
    throw new RemediumError('bad-argument', `Nobody says where the provider ${provider.name} is.`, {
      hint: `Give --base-url, or set the variable ${provider.urlVariables.join(' or ')}.`,
    })
  }
  return { key, baseUrl: checkUrl(url) }
}
