/** A trace as a tree: who called whom, when and for how long. */
import type { Span } from '../../spec/index.ts'

const INDENT = '  '

const lineOf = (span: Span, depth: number, start: number): string => {
  const { service, name, kind, durationMs, status, message, peer } = span
  const offset = `+${(span.start - start).toFixed(1)}`.padStart(9)
  const failure = status === 'error' ? `  ERROR${message === undefined ? '' : `: ${message}`}` : ''
  const whom = peer === undefined ? '' : ` -> ${peer}`
  return `${offset} ms ${durationMs.toFixed(1).padStart(9)} ms  ${INDENT.repeat(depth)}${service} ${name}${whom} (${kind})${failure}`
}

/** Spans whose parent is not known stand at the beginning of a line. */
export const toTraceText = (spans: readonly Span[]): string => {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const children = Map.groupBy(spans, ({ parentId }) =>
    parentId !== undefined && known.has(parentId) ? parentId : '',
  )
  const start = Math.min(...spans.map((span) => span.start))
  const shown = new Set<Span>()
  const below = (parent: string, depth: number): string[] =>
    (children.get(parent) ?? [])
      .filter((span) => !shown.has(span))
      .sort((a, b) => a.start - b.start)
      .flatMap((span) => {
        shown.add(span)
        return [lineOf(span, depth, start), ...below(span.spanId, depth + 1)]
      })
  return below('', 0).join('\n')
}
