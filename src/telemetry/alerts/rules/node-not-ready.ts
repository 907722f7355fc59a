/** A node does not tell that it is well. */
import { defineAlertRule } from '../alert-rule.ts'

const PATIENCE_MS = 2000

export const nodeNotReady = defineAlertRule({
  name: 'NodeNotReady',
  severity: 'page',
  *find({ nodes, now, began }) {
    for (const { name: node, ready, since } of nodes) {
      if (ready || now - Math.max(since, began) < PATIENCE_MS) continue
      yield { labels: { node }, summary: `${node} is not Ready` }
    }
  },
})
