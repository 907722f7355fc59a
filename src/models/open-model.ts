/** Opens a language model by its name: `provider:name`. */
import { type Clock, createRandom, createRealClock, nearestName, type Random } from '../kit/index.ts'
import { type LanguageModel, type ModelRequest, RemediumError, type TokenUsage } from '../spec/index.ts'
import { askOnce, createSignatures, type Tried } from './ask-once.ts'
import { costOf, findPrice, type Price, parsePrice } from './prices.ts'
import { type Environment, findAccess, PROVIDERS, type Provider } from './providers/index.ts'
import { recording } from './recording.ts'
import { REPLAY, replaying } from './replaying.ts'
import { DEFAULT_PATIENCE, type Patience, retrying } from './retrying.ts'
import { toFailure } from './to-failure.ts'
import { fromTextAnswer, toTextRequest } from './tools-as-text.ts'
import { addUsage, NO_USAGE } from './usage.ts'

export interface ModelOptions extends Partial<Patience> {
  /** Where keys, addresses, a price and a file to record to may be; that of the process where absent. */
  readonly env?: Environment
  readonly baseUrl?: string
  /** By provider, what counts before its variables and after `baseUrl`. */
  readonly addresses?: Readonly<Record<string, string>>
  /** Whether answers come piece by piece, so that long ones do not look like none. True where absent. */
  readonly stream?: boolean
  /** How tools are called; `auto`: by the interface for them until the endpoint refuses it, then in text. */
  readonly tools?: 'auto' | 'native' | 'text'
  /** Instead of the listed one. */
  readonly price?: Price
  /** The file to which everything is added that it is asked and answers. */
  readonly record?: string
  readonly clock?: Clock
  readonly random?: Random
}

const unknownProvider = (given: string): RemediumError => {
  const names = [...PROVIDERS.map(({ name }) => name), REPLAY]
  const meant = nearestName(given, names)
  return new RemediumError('bad-argument', `There is no provider of language models named "${given}".`, {
    hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}There are ${names.join(', ')}.`,
  })
}

/** `provider:name` in its two parts; names may hold colons themselves. */
const splitName = (name: string): [provider: string, model: string] => {
  const colon = name.indexOf(':')
  if (colon > 0 && colon < name.length - 1) return [name.slice(0, colon), name.slice(colon + 1)]
  throw new RemediumError('bad-argument', `"${name}" does not name a model.`, {
    hint: 'Give provider:name, such as openai:gpt-5-mini; `remedium models` lists the providers.',
  })
}

/** How an endpoint is spoken to; what it refuses is remembered as long as the model is open. */
interface Manners {
  tools: 'native' | 'text'
  stream: boolean
}

const createAsker = (
  provider: Provider,
  name: string,
  model: string,
  options: ModelOptions,
  clock: Clock,
) => {
  const address = options.baseUrl ?? options.addresses?.[provider.name]
  const access = findAccess(provider, options.env ?? process.env, address)
  const signatures = createSignatures()
  const manners: Manners = {
    tools: options.tools === 'text' ? 'text' : 'native',
    stream: options.stream ?? true,
  }
  let opened: ReturnType<Provider['open']> | undefined

  return async (request: ModelRequest, signal: AbortSignal, onPiece: () => void): Promise<Tried> => {
    opened ??= provider.open(model, access)
    const { tools, stream: streams } = manners
    const isText = tools === 'text'
    try {
      const sent = isText ? toTextRequest(request) : request
      const tried = await askOnce(sent, { model: await opened, signatures, streams, signal, onPiece })
      // Some endpoints count tokens only where they answer in one piece.
      if (tried.usage === undefined) manners.stream = false
      // Servers that do not read the calls of their model leave them in the text.
      const isLeft = options.tools !== 'native' && tried.toolCalls.length === 0
      return isText || isLeft ? fromTextAnswer(tried, request) : tried
    } catch (thrown) {
      if (signal.aborted) throw thrown
      throw toFailure(thrown, {
        model: name,
        now: clock.now(),
        offersTools: !isText && options.tools !== 'native' && (request.tools ?? []).length > 0,
        streams,
        giveUp: (what) => {
          if (what === 'tools') manners.tools = 'text'
          else manners.stream = false
        },
      })
    }
  }
}

/** What tokens cost: as the operator says, as the provider says, as the list says; nothing where nobody does. */
const toCost = (name: string, given: Price | undefined) => {
  const price = given ?? findPrice(name)
  return (tried: Tried, usage: TokenUsage, wastedUsd: number): { costUsd?: number } => {
    if (given === undefined && tried.costUsd !== undefined) return { costUsd: tried.costUsd + wastedUsd }
    return price === undefined ? {} : { costUsd: costOf(price, usage) }
  }
}

/** Whether what its answers cost will be known; of a recording, which costs nothing more, it need not be. */
export const isPriced = (name: string, { price, env = process.env }: ModelOptions = {}): boolean => {
  const isTold = [...PROVIDERS.filter(({ tellsCost }) => tellsCost).map((one) => one.name), REPLAY]
  if (isTold.some((provider) => name.startsWith(`${provider}:`))) return true
  return price !== undefined || Boolean(env.REMEDIUM_PRICE) || findPrice(name) !== undefined
}

/** Keys and names are checked at once; the endpoint is spoken to when the model is asked. */
export const openModel = (name: string, options: ModelOptions = {}): LanguageModel => {
  const [providerName, model] = splitName(name)
  if (providerName === REPLAY) return replaying(model)
  const provider = PROVIDERS.find((one) => one.name === providerName)
  if (provider === undefined) throw unknownProvider(providerName)
  const clock = options.clock ?? createRealClock({ keepsAlive: true })
  const tools = {
    clock,
    random: options.random ?? createRandom(`${name} ${clock.now()} ${process.pid}`),
    patience: {
      tries: options.tries ?? DEFAULT_PATIENCE.tries,
      timeoutMs: options.timeoutMs ?? DEFAULT_PATIENCE.timeoutMs,
      totalMs: options.totalMs ?? DEFAULT_PATIENCE.totalMs,
      backoffMs: options.backoffMs ?? DEFAULT_PATIENCE.backoffMs,
    },
    model: name,
  }
  const ask = createAsker(provider, name, model, options, clock)
  const { REMEDIUM_PRICE, REMEDIUM_RECORD } = options.env ?? process.env
  const cost = toCost(name, options.price ?? (REMEDIUM_PRICE ? parsePrice(REMEDIUM_PRICE) : undefined))
  const opened: LanguageModel = {
    name,
    async ask(request) {
      const began = clock.now()
      const { value, tries, wasted, wastedUsd } = await retrying(
        (signal, onPiece) => ask(request, signal, onPiece),
        tools,
        request,
      )
      const usage = addUsage(value.usage ?? NO_USAGE, wasted)
      return {
        text: value.text,
        toolCalls: value.toolCalls,
        usage,
        ...cost(value, usage, wastedUsd),
        finish: value.finish,
        tries,
        milliseconds: clock.now() - began,
      }
    },
  }
  const record = options.record ?? REMEDIUM_RECORD
  return record ? recording(opened, record) : opened
}
