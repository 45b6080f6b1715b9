        if isinstance(self.mechanism, Pyramid):
            # The nodes of every level are projected, not the input alone.
            def project(nodes):
                return split(self.key(nodes)), split(self.value(nodes))

            context = self.mechanism(query, states, states, hidden, project=project)
        else:
            context = self.mechanism(query, keys, values, hidden, past)
