/** The direct child expressions of an expression. */
import type { Arguments, Expression } from '../syntax/node.ts'

const argumentsOf = ({ positional, keywords, spread, keywordSpread }: Arguments): Expression[] =>
  [...positional, ...keywords.map(([, value]) => value), spread, keywordSpread].filter(
    (part) => part !== undefined,
  )

/** The direct child expressions of an expression. */
export const childrenOf = (node: Expression): readonly Expression[] => {
  switch (node.type) {
    case 'constant':
    case 'name':
      return []
    case 'tuple':
    case 'list':
      return node.items
    case 'dict':
      return node.pairs.flat()
    case 'binary':
    case 'and':
    case 'or':
      return [node.left, node.right]
    case 'unary':
      return [node.operand]
    case 'compare':
      return [node.first, ...node.rest.map(([, operand]) => operand)]
    case 'concatenate':
      return node.parts
    case 'conditional':
      return [node.test, node.whenTrue, ...(node.otherwise === undefined ? [] : [node.otherwise])]
    case 'attribute':
      return [node.owner]
    case 'item':
      return [node.owner, node.key]
    case 'slice':
      return [node.owner, ...node.bounds.filter((bound) => bound !== undefined)]
    case 'call':
      return [node.callee, ...argumentsOf(node.args)]
    case 'filter':
      return [...(node.input === undefined ? [] : [node.input]), ...argumentsOf(node.args)]
    case 'test':
      return [node.input, ...argumentsOf(node.args)]
  }
}
