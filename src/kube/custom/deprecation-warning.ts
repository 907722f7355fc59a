/** What clients of a deprecated version of a custom kind are told. */
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { compareVersions } from '../meta/index.ts'

/** The definition's own words, or which newer version to use, if there is one. */
export const deprecationWarning = (
  { group, names, versions }: CustomResourceDefinitionSpec,
  { name, deprecated, deprecationWarning: words }: CustomResourceDefinitionVersion,
): { warning?: string } => {
  if (deprecated !== true) return {}
  if (words !== undefined) return { warning: words }
  const [better] = versions
    .filter((one) => one.served && one.deprecated !== true && compareVersions(name, one.name) < 0)
    .sort((a, b) => compareVersions(b.name, a.name))
  const instead = better === undefined ? '' : `; use ${group}/${better.name} ${names.kind}`
  return { warning: `${group}/${name} ${names.kind} is deprecated${instead}` }
}
