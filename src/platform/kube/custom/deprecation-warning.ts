/** Builds the warning for clients of a deprecated version of a custom kind. */
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { compareVersions } from '#platform/kube/meta'

/** Returns nothing unless the version is deprecated. The default warning names a newer version if there is one. */
export const deprecationWarning = (
  { group, names, versions }: CustomResourceDefinitionSpec,
  { name, deprecated, deprecationWarning: text }: CustomResourceDefinitionVersion,
): { warning?: string } => {
  if (deprecated !== true) return {}
  if (text !== undefined) return { warning: text }
  const [newer] = versions
    .filter(
      (candidate) =>
        candidate.served && candidate.deprecated !== true && compareVersions(name, candidate.name) < 0,
    )
    .sort((a, b) => compareVersions(b.name, a.name))
  const suggestion = newer === undefined ? '' : `; use ${group}/${newer.name} ${names.kind}`
  return { warning: `${group}/${name} ${names.kind} is deprecated${suggestion}` }
}
