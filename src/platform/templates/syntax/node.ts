/** The syntax tree of a template. */

export interface Arguments {
  readonly positional: readonly Expression[]
  readonly keywords: readonly (readonly [name: string, value: Expression])[]
  /** `*value`. */
  readonly spread?: Expression | undefined
  /** `**value`. */
  readonly keywordSpread?: Expression | undefined
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**'
export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in'

export type Expression =
  | { readonly type: 'constant'; readonly value: unknown }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'tuple' | 'list'; readonly items: readonly Expression[] }
  | { readonly type: 'dict'; readonly pairs: readonly (readonly [key: Expression, value: Expression])[] }
  | {
      readonly type: 'binary'
      readonly operator: BinaryOperator
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly type: 'unary'; readonly operator: '-' | '+' | 'not'; readonly operand: Expression }
  | { readonly type: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | {
      readonly type: 'compare'
      readonly first: Expression
      readonly rest: readonly (readonly [operator: CompareOperator, operand: Expression])[]
    }
  | { readonly type: 'concatenate'; readonly parts: readonly Expression[] }
  | {
      readonly type: 'conditional'
      readonly test: Expression
      readonly whenTrue: Expression
      readonly otherwise: Expression | undefined
      readonly line: number
    }
  | { readonly type: 'attribute'; readonly owner: Expression; readonly name: string }
  | { readonly type: 'item'; readonly owner: Expression; readonly key: Expression }
  | { readonly type: 'slice'; readonly owner: Expression; readonly bounds: SliceBounds }
  | { readonly type: 'call'; readonly callee: Expression; readonly args: Arguments }
  | FilterNode
  | {
      readonly type: 'test'
      readonly input: Expression
      readonly name: string
      readonly args: Arguments
    }

export type SliceBounds = readonly [
  start: Expression | undefined,
  stop: Expression | undefined,
  step: Expression | undefined,
]

export interface FilterNode {
  readonly type: 'filter'
  /** Undefined for the body of a block. */
  readonly input: Expression | undefined
  readonly name: string
  readonly args: Arguments
}

export type Target =
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'member'; readonly name: string; readonly member: string }
  | { readonly type: 'tuple'; readonly items: readonly Target[] }

export type Statement =
  | { readonly type: 'output'; readonly parts: readonly (string | Expression)[] }
  | {
      readonly type: 'if'
      readonly branches: readonly (readonly [test: Expression, body: readonly Statement[]])[]
      readonly otherwise: readonly Statement[]
    }
  | ForNode
  | { readonly type: 'set'; readonly target: Target; readonly value: Expression }
  | SetBlockNode
  | WithNode
  | FilterBlockNode

export interface ForNode {
  readonly type: 'for'
  readonly target: Target
  readonly items: Expression
  readonly test: Expression | undefined
  readonly body: readonly Statement[]
  readonly otherwise: readonly Statement[]
}

export interface SetBlockNode {
  readonly type: 'set-block'
  readonly target: Target
  readonly filter: FilterNode | undefined
  readonly body: readonly Statement[]
}

export interface WithNode {
  readonly type: 'with'
  readonly bindings: readonly (readonly [target: Target, value: Expression])[]
  readonly body: readonly Statement[]
}

export interface FilterBlockNode {
  readonly type: 'filter-block'
  readonly filter: FilterNode
  readonly body: readonly Statement[]
}
