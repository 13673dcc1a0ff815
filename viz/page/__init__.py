"""A page without Python that answers: the model in JavaScript, what is asked of it, and its weights."""
