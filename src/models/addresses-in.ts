/** Where the environment says that the providers of some models are. */
import { type Environment, firstSet, PROVIDERS } from './providers/index.ts'

/** By the names of the providers; those of which it says nothing are left out. */
export const addressesIn = (env: Environment, models: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    PROVIDERS.filter(({ name }) => models.some((model) => model.startsWith(`${name}:`))).flatMap(
      ({ name, urlVariables }) => {
        const address = firstSet(env, urlVariables)
        return address === undefined ? [] : [[name, address]]
      },
    ),
  )
