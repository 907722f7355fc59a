/** Formats a trace as a tree of spans with start and duration. */
import type { Span } from '#spec'
import { toPrintable } from './to-printable.ts'

const INDENT = '  '
/** Deeper spans get the same indentation. */
const MAX_DEPTH = 40

const lineOf = (span: Span, depth: number, start: number): string => {
  const { service, name, kind, durationMs, status, message, peer } = span
  const offset = `+${(span.start - start).toFixed(1)}`.padStart(9)
  const failure = status === 'error' ? `  ERROR${message === undefined ? '' : `: ${message}`}` : ''
  const callee = peer === undefined ? '' : ` -> ${peer}`
  return `${offset} ms ${durationMs.toFixed(1).padStart(9)} ms  ${INDENT.repeat(Math.min(depth, MAX_DEPTH))}${service} ${name}${callee} (${kind})${failure}`
}

/** Spans with an unknown parent are roots. */
export const toTraceText = (spans: readonly Span[]): string => {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const sorted = spans.toSorted((a, b) => b.start - a.start)
  const children = Map.groupBy(sorted, ({ parentId }) =>
    parentId !== undefined && known.has(parentId) ? parentId : '',
  )
  const start = sorted.at(-1)?.start ?? 0
  const lines: string[] = []
  // A stack instead of recursion: a trace can be deeper than the call stack.
  const stack: { span: Span; depth: number }[] = []
  const pushChildren = (parent: string, depth: number): void => {
    for (const span of children.get(parent) ?? []) stack.push({ span, depth })
    children.delete(parent)
  }
  pushChildren('', 0)
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    lines.push(toPrintable(lineOf(next.span, next.depth, start)))
    pushChildren(next.span.spanId, next.depth + 1)
  }
  return lines.join('\n')
}
