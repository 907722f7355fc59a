/** Rules for labels and annotations that record the author and the reason of a change: they have no effect. */
import { isDeepStrictEqual } from 'node:util'
import type { DriftRule } from './drift.ts'

/** Keys with these prefixes are read by Kubernetes or by programs in the cluster. */
const EFFECTIVE_PREFIX = /(^|[./])(kubernetes|k8s|prometheus|istio|linkerd)\.io\//
/** Keys of Kubernetes that only tools and people read. */
const DOCUMENTING_PREFIX =
  /^(app|applyset|kubectl|config|internal\.config)\.kubernetes\.io\/|^(kustomize\.)?config\.k8s\.io\//
const DOCUMENTING_KEYS: readonly string[] = ['kubernetes.io/change-cause', 'kubernetes.io/description']
/** Keys that tools rewrite whenever they apply an object. */
const TOOL_KEYS: readonly string[] = [
  'kubectl.kubernetes.io/restartedAt',
  'kubernetes.io/change-cause',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/version',
  'helm.sh/chart',
]

/** Whether a new label or annotation has no effect. */
const isNote = (key: string): boolean =>
  !EFFECTIVE_PREFIX.test(key) || DOCUMENTING_PREFIX.test(key) || DOCUMENTING_KEYS.includes(key)

const noteRule = (path: RegExp, noun: string, mayAdd: (key: string) => boolean): DriftRule => ({
  path,
  judge({ now, baseline, injected }, at) {
    const key = path.exec(at)!.groups!.key!
    const isFromFault = !isDeepStrictEqual(baseline, injected)
    if (isFromFault || (now !== undefined && TOOL_KEYS.includes(key))) return []
    if (baseline === undefined && mayAdd(key)) return []
    return [`${now === undefined ? 'lost the' : 'has a different'} ${noun} ${key}`]
  },
})

/** For an object that a repair may change: its own notes, and those in its pod template. */
export const NOTE_RULES: readonly DriftRule[] = [
  noteRule(/^(spec\/template\/metadata\/)?annotations\/(?<key>.+)$/, 'annotation', isNote),
  noteRule(/^labels\/(?<key>.+)$/, 'label', isNote),
  // A pod may have any further label; `cause-gone` and `users-served` judge the effects of selectors.
  noteRule(/^spec\/template\/metadata\/labels\/(?<key>.+)$/, 'pod label', () => true),
]
