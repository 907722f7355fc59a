/** Converts MicroRemed's model names: the provider follows from the name. */
import { listProviders } from '#examinee/models'

const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/claude/i, 'anthropic'],
  [/gpt/i, 'openai'],
  [/qwen|qwq|glm|kimi|llama|deepseek/i, 'dashscope'],
]
/** Other models are expected on a local server. */
const FALLBACK_PROVIDER = 'vllm'

/** Returns `openai:gpt-4o` for `gpt-4o`; a name that already has a provider stays unchanged. */
export const toModelName = (name: string): string => {
  const providers = listProviders().map((provider) => provider.name)
  const colon = name.indexOf(':')
  if (colon > 0 && providers.includes(name.slice(0, colon))) return name
  const provider = PROVIDERS.find(([pattern]) => pattern.test(name))?.[1] ?? FALLBACK_PROVIDER
  return `${provider}:${name}`
}

/** Copies MicroRemed's shared key, `LLM_API_KEY`, to the provider's variable, unless the provider already has a key. */
export const applySharedKey = (model: string, env: NodeJS.ProcessEnv = process.env): void => {
  const key = env.LLM_API_KEY ?? ''
  const provider = listProviders(env).find(({ name }) => model.startsWith(`${name}:`))
  const variable = provider?.keyVariables[0]
  if (key === '' || variable === undefined) return
  if (provider!.keyVariables.every((name) => (env[name] ?? '') === '')) env[variable] = key
}
