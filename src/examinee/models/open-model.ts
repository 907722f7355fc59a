/** Opens a language model by its name: `provider:name`. */

import { type Environment, findAccess, PROVIDERS, type Provider } from '#examinee/models/providers'
import { type Clock, createRandom, createRealClock, defined, findNearestName, type Random } from '#kit'
import { type LanguageModel, type ModelRequest, RemediumError, type TokenUsage } from '#spec'
import { type AttemptAnswer, askOnce, createSignatures } from './ask-once.ts'
import { rejectIgnoredSettings } from './ignored-setting.ts'
import { costOf, findPrice, type Price, parsePrice } from './prices.ts'
import { recordCalls } from './record-calls.ts'
import { REPLAY, replayCalls } from './replay-calls.ts'
import { DEFAULT_RETRY_LIMITS, type RetryLimits, retry } from './retry.ts'
import { toFailure } from './to-failure.ts'
import { fromTextAnswer, toTextRequest } from './tools-as-text.ts'
import { addUsage, NO_USAGE } from './usage.ts'

export interface ModelOptions extends Partial<RetryLimits> {
  /** May contain keys, addresses, a price and a recording file. By default the environment of the process. */
  readonly env?: Environment
  readonly baseUrl?: string
  /** Addresses by provider. They take precedence over the variables of the provider, and `baseUrl` over both. */
  readonly addresses?: Readonly<Record<string, string>>
  /** Whether to stream answers, so that a long answer does not run into a timeout. True by default. */
  readonly stream?: boolean
  /** How tools are offered. `auto`, the default: through the tool interface, or in text once the endpoint has refused that. */
  readonly tools?: 'auto' | 'native' | 'text'
  /** Takes precedence over the listed price. */
  readonly price?: Price
  /** The file to which all requests and answers are appended. */
  readonly record?: string
  readonly clock?: Clock
  readonly random?: Random
}

const toUnknownProviderError = (name: string): RemediumError => {
  const names = [...PROVIDERS.map(({ name }) => name), REPLAY]
  const nearest = findNearestName(name, names)
  return new RemediumError('bad-argument', `The provider of language models "${name}" does not exist.`, {
    hint: `${nearest === undefined ? '' : `Did you mean ${nearest}? `}Existing providers: ${names.join(', ')}.`,
  })
}

/** Splits `provider:name` at the first colon; names may contain colons. */
const splitName = (name: string): [provider: string, model: string] => {
  const colon = name.indexOf(':')
  if (colon > 0 && colon < name.length - 1) return [name.slice(0, colon), name.slice(colon + 1)]
  throw new RemediumError('bad-argument', `"${name}" is not the name of a model.`, {
    hint: 'Pass PROVIDER:NAME, such as openai:gpt-5-mini. `remedium models` lists the providers.',
  })
}

/** The features used with an endpoint. A feature that it refuses stays off as long as the model is open. */
interface EndpointFeatures {
  tools: 'native' | 'text'
  stream: boolean
}

interface Endpoint {
  readonly provider: Provider
  /** `provider:name` */
  readonly name: string
  /** The name without its provider. */
  readonly model: string
}

const createAttempt = ({ provider, name, model }: Endpoint, options: ModelOptions, clock: Clock) => {
  const address = options.baseUrl ?? options.addresses?.[provider.name]
  const access = findAccess(provider, options.env ?? process.env, address)
  const signatures = createSignatures()
  const features: EndpointFeatures = {
    tools: options.tools === 'text' ? 'text' : 'native',
    stream: options.stream ?? true,
  }
  let opened: ReturnType<Provider['open']> | undefined

  return async (request: ModelRequest, signal: AbortSignal, onPiece: () => void): Promise<AttemptAnswer> => {
    opened ??= provider.open(model, access)
    const { tools, stream: streams } = features
    const isText = tools === 'text'
    try {
      const sentRequest = isText ? toTextRequest(request) : request
      const { reasoning } = request.sampling ?? {}
      const providerOptions =
        reasoning === undefined || reasoning === 'none' ? undefined : provider.reasoningOptions
      const attempt = { model: await opened, signatures, streams, providerOptions, signal, onPiece }
      const answer = await askOnce(sentRequest, attempt)
      rejectIgnoredSettings(name, request.sampling, answer.warnings)
      // Some endpoints count tokens only in answers that are not streamed.
      if (answer.usage === undefined) features.stream = false
      // Servers that do not parse the calls of their model leave them in the text.
      const mayContainCalls = options.tools !== 'native' && answer.toolCalls.length === 0
      if (isText) return { ...fromTextAnswer(answer, request), toolMode: 'text' }
      return mayContainCalls ? fromTextAnswer(answer, request) : answer
    } catch (thrown) {
      if (signal.aborted) throw thrown
      throw toFailure(thrown, {
        model: name,
        now: clock.now(),
        offersTools: !isText && options.tools !== 'native' && (request.tools ?? []).length > 0,
        streams,
        sampling: request.sampling,
        onUnsupported: (feature) => {
          if (feature === 'tools') features.tools = 'text'
          else features.stream = false
        },
      })
    }
  }
}

/** Uses the price given by the operator, the cost reported by the provider, or the listed price, in this order. */
const createCostCalculator = (name: string, fixedPrice: Price | undefined) => {
  const price = fixedPrice ?? findPrice(name)
  return (answer: AttemptAnswer, usage: TokenUsage, wastedUsd: number): { costUsd?: number } => {
    if (fixedPrice === undefined && answer.costUsd !== undefined)
      return { costUsd: answer.costUsd + wastedUsd }
    return price === undefined ? {} : { costUsd: costOf(price, usage) }
  }
}

/** Whether the cost of the model's answers will be known. A replay needs no price. */
export const isPriced = (name: string, { price, env = process.env }: ModelOptions = {}): boolean => {
  const costReporting = [
    ...PROVIDERS.filter(({ reportsCost }) => reportsCost).map((provider) => provider.name),
    REPLAY,
  ]
  if (costReporting.some((provider) => name.startsWith(`${provider}:`))) return true
  return price !== undefined || Boolean(env.REMEDIUM_PRICE) || findPrice(name) !== undefined
}

/** Checks the name, key and address immediately. Contacts the endpoint when the model is asked. */
export const openModel = (name: string, options: ModelOptions = {}): LanguageModel => {
  const [providerName, model] = splitName(name)
  if (providerName === REPLAY) return replayCalls(model)
  const provider = PROVIDERS.find((candidate) => candidate.name === providerName)
  if (provider === undefined) throw toUnknownProviderError(providerName)
  const clock = options.clock ?? createRealClock({ keepsAlive: true })
  const retryOptions = {
    clock,
    random: options.random ?? createRandom(`${name} ${clock.now()} ${process.pid}`),
    limits: {
      tries: options.tries ?? DEFAULT_RETRY_LIMITS.tries,
      timeoutMs: options.timeoutMs ?? DEFAULT_RETRY_LIMITS.timeoutMs,
      totalMs: options.totalMs ?? DEFAULT_RETRY_LIMITS.totalMs,
      backoffMs: options.backoffMs ?? DEFAULT_RETRY_LIMITS.backoffMs,
    },
    model: name,
  }
  const attempt = createAttempt({ provider, name, model }, options, clock)
  const { REMEDIUM_PRICE, REMEDIUM_RECORD } = options.env ?? process.env
  const calculateCost = createCostCalculator(
    name,
    options.price ?? (REMEDIUM_PRICE ? parsePrice(REMEDIUM_PRICE) : undefined),
  )
  const opened: LanguageModel = {
    name,
    async ask(request) {
      const startedAt = clock.now()
      const { value, tries, wasted, wastedUsd } = await retry(
        (signal, onPiece) => attempt(request, signal, onPiece),
        retryOptions,
        request,
      )
      const usage = addUsage(value.usage ?? NO_USAGE, wasted)
      return {
        text: value.text,
        ...defined({ rawText: value.rawText, reasoning: value.reasoning }),
        toolCalls: value.toolCalls,
        usage,
        ...calculateCost(value, usage, wastedUsd),
        ...defined({ toolMode: value.toolMode }),
        finish: value.finish,
        tries,
        milliseconds: clock.now() - startedAt,
      }
    },
  }
  const record = options.record ?? REMEDIUM_RECORD
  return record ? recordCalls(opened, record) : opened
}
