/** Finds the addresses of model providers in the environment. */
import { type Environment, PROVIDERS, readVariable } from '#examinee/models/providers'

/** Returns the addresses by provider, for the providers of these models whose address variable is set. */
export const findAddresses = (
  env: Environment,
  models: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    PROVIDERS.filter(({ name }) => models.some((model) => model.startsWith(`${name}:`))).flatMap(
      ({ name, urlVariables }) => {
        const address = readVariable(env, urlVariables)
        return address === undefined ? [] : [[name, address]]
      },
    ),
  )
