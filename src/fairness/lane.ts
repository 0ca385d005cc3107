/**
 * Whose turn a piece of work takes where books share room: that of its book, or for bulk work a turn of its own beside it. So bulk work of a book
 * delays the book's other work no more than another busy book does, and is served in turn as well.
 */
export function laneOf(bookId: string, behind: boolean | undefined): string {
  return behind ? `${bookId} behind` : bookId;
}
