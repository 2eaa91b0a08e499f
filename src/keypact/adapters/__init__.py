"""Classes of other libraries as classes of items; each library is imported only when used."""
