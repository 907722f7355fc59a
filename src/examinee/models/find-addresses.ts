/** Finds the addresses of model providers in the environment. */
import { type Environment, PROVIDERS, readVariable } from '#examinee/models/providers'

/** Returns the address of each provider of these models whose address variable is set, by the name of the provider. */
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
