/** Models as MicroRemed names them: the provider follows from the name. */
import { listProviders } from '../../models/index.ts'

const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/claude/i, 'anthropic'],
  [/gpt/i, 'openai'],
  [/qwen|qwq|glm|kimi|llama|deepseek/i, 'dashscope'],
]
/** Whatever else is asked for runs on a server of one's own. */
const OWN_SERVER = 'vllm'

/** `gpt-4o` as `openai:gpt-4o`; a name with a provider of ours before it stays as it is. */
export const readModelName = (name: string): string => {
  const providers = listProviders().map((provider) => provider.name)
  const colon = name.indexOf(':')
  if (colon > 0 && providers.includes(name.slice(0, colon))) return name
  const provider = PROVIDERS.find(([pattern]) => pattern.test(name))?.[1] ?? OWN_SERVER
  return `${provider}:${name}`
}

/** It has one key for all, in `LLM_API_KEY`; a provider's own variable comes first. */
export const lendKey = (model: string, env: NodeJS.ProcessEnv = process.env): void => {
  const key = env.LLM_API_KEY ?? ''
  const provider = listProviders(env).find(({ name }) => model.startsWith(`${name}:`))
  const variable = provider?.keyVariables[0]
  if (key === '' || variable === undefined) return
  if (provider!.keyVariables.every((name) => (env[name] ?? '') === '')) env[variable] = key
}
