type Box = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>

const gapPx = 8

/** The top of a stack that must not cover a box, as a CSS length; empty when the stack can stay where it is. */
export function clearOf(stack: Box, box: Box): string {
  const covers =
    stack.left < box.right && box.left < stack.right && stack.top < box.bottom && box.top < stack.bottom
  return covers ? `${Math.round(box.bottom + gapPx)}px` : ''
}
