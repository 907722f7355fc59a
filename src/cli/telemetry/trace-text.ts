/** A trace as a tree: who called whom, when and for how long. */
import type { Span } from '../../spec/index.ts'
import { toPrintable } from './to-printable.ts'

const INDENT = '  '
/** Deeper ones stand there, too. */
const DEEPEST = 40

const lineOf = (span: Span, depth: number, start: number): string => {
  const { service, name, kind, durationMs, status, message, peer } = span
  const offset = `+${(span.start - start).toFixed(1)}`.padStart(9)
  const failure = status === 'error' ? `  ERROR${message === undefined ? '' : `: ${message}`}` : ''
  const whom = peer === undefined ? '' : ` -> ${peer}`
  return `${offset} ms ${durationMs.toFixed(1).padStart(9)} ms  ${INDENT.repeat(Math.min(depth, DEEPEST))}${service} ${name}${whom} (${kind})${failure}`
}

/** Spans whose parent is not known stand at the beginning of a line. */
export const toTraceText = (spans: readonly Span[]): string => {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const sorted = spans.toSorted((a, b) => b.start - a.start)
  const children = Map.groupBy(sorted, ({ parentId }) =>
    parentId !== undefined && known.has(parentId) ? parentId : '',
  )
  const start = sorted.at(-1)?.start ?? 0
  const lines: string[] = []
  // The next to show is the last: a trace may be deeper than functions can call each other.
  const waiting: { span: Span; depth: number }[] = []
  const wait = (parent: string, depth: number): void => {
    for (const span of children.get(parent) ?? []) waiting.push({ span, depth })
    children.delete(parent)
  }
  wait('', 0)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    lines.push(toPrintable(lineOf(next.span, next.depth, start)))
    wait(next.span.spanId, next.depth + 1)
  }
  return lines.join('\n')
}
