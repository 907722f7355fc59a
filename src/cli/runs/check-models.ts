/** Opens every model once before anything else is done: a name that nobody knows or a missing key costs nothing then. */
import { openModel } from '../../models/index.ts'
import type { Contender, RunSettings } from '../../spec/index.ts'

export const checkModels = (contenders: readonly Contender[], { baseUrl }: RunSettings): void => {
  const names = new Set(contenders.flatMap(({ models }) => Object.values(models)))
  for (const name of names) openModel(name, baseUrl === undefined ? {} : { baseUrl })
}
